# k8ts in a container. Simulated nodes need no privileges:
#   docker run -p 6443:6443 k8ts
# Nodes that run containers do:
#   docker run --privileged -v k8ts:/data -p 6443:6443 k8ts up --data-dir /data/cluster --bind-address 0.0.0.0 --nodes 1
FROM node:24-slim AS build
WORKDIR /src
COPY . .
RUN npm ci --ignore-scripts && mkdir /packed && npm pack --pack-destination /packed

FROM node:24-slim
RUN apt-get update && apt-get install --yes --no-install-recommends runc conmon nftables iproute2 conntrack \
  && rm -rf /var/lib/apt/lists/*
COPY --from=build /packed /packed
RUN npm install --global --no-audit --no-fund /packed/*.tgz && rm -rf /packed
VOLUME /data
EXPOSE 6443
ENTRYPOINT ["k8ts"]
CMD ["up", "--data-dir", "/data/cluster", "--bind-address", "0.0.0.0", "--nodes", "0", "--simulated-nodes", "1"]
