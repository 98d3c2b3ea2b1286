// The stage AVFoundation.
