"""What every client shares: the model server, the script of a session, and the comparison of wire and transcript."""
