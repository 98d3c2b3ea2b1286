// The stage ImageFiles.
