// Tests of the stage Codecs.
