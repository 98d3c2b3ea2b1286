// Tests of the stage Bokeh.
