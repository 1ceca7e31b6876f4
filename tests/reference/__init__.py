"""The equations of the papers, literally, with loops, for tiny inputs."""
