// Tests of the stage AVFoundation.
