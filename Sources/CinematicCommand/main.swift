print("cinematic")
