// Tests of the stage QuickTime.
