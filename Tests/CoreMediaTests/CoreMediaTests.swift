// Tests of the stage CoreMedia.
