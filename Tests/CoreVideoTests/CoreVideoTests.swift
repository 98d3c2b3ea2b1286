// Tests of the stage CoreVideo.
