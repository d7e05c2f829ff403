"""`inspector demo`: a real agent with a scripted model, made to be watched."""
