// The stage Bokeh.
