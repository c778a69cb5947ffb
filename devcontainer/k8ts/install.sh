#!/bin/sh
# Installs k8ts into a development container, with the completions of its shell.
set -e
if ! command -v npm >/dev/null; then
  echo "k8ts needs Node 20.19 or newer with npm: add the feature node before this one" >&2
  exit 1
fi
npm install --global --no-audit --no-fund "k8ts@${VERSION:-latest}"
mkdir -p /usr/share/bash-completion/completions
k8ts completion bash >/usr/share/bash-completion/completions/k8ts
