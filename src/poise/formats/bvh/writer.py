def save():
    pass
