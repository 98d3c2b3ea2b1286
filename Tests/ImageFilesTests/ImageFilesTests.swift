// Tests of the stage ImageFiles.
