import { fastify } from 'fastify'

/**
 * Serves the least an HTTP answer can cost: a Fastify route that sends constant bytes; a POST body
 * is parsed first. Plain JavaScript without a line of the registry; it is run without a build.
 */
const { method, path, headers, bytes } = JSON.parse(process.argv[2])
const app = fastify()
const body = Buffer.alloc(bytes, 'x')

app.route({ method, url: path, handler: (_, reply) => reply.headers(headers).send(body) })
const url = await app.listen({ host: '127.0.0.1', port: 0 })
process.on('disconnect', () => process.exit(0))
process.send({ ready: { url } })
