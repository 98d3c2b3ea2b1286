// The stage QuickTime.
