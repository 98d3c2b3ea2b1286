// The stage Codecs.
