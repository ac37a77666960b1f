# One image for every role; the command names it: api, indexer, crawler, push.
# Redis stands outside (REDIS_URL), the stores on a volume that api and indexer share.

FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY . .
# The commit, which the image cannot tell: there is no .git in it.
ARG COMMIT
RUN npm run build

FROM node:24-bookworm-slim AS modules
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --omit=dev

FROM node:24-bookworm-slim
WORKDIR /app
COPY package.json ./
COPY --from=modules /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/dist-browser ./dist-browser
COPY data ./data
COPY docs ./docs
# A volume takes the owner of the folder it covers.
RUN install -d -o 1000 -g 1000 data/var /backups
VOLUME /app/data/var
# The base image's user `node`, as a number: only a number can be proved not to be root.
USER 1000
ENV HOST=0.0.0.0
EXPOSE 3000
# For the api. Another role is started with --no-healthcheck.
HEALTHCHECK --start-period=30s CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT || 3000) + '/healthz').then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--max-semi-space-size=16", "dist/scripts/registry.js"]
CMD ["api"]
