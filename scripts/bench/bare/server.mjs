import { fastify } from 'fastify'

/**
 * What an answer over HTTP costs at least: a Fastify route that sends constant bytes; a POST is
 * parsed first. Plain JavaScript without a line of the registry, run as it stands here.
 */
const { method, path, headers, bytes } = JSON.parse(process.argv[2])
const app = fastify()
const body = Buffer.alloc(bytes, 'x')

app.route({ method, url: path, handler: (_, reply) => reply.headers(headers).send(body) })
const url = await app.listen({ host: '127.0.0.1', port: 0 })
process.on('disconnect', () => process.exit(0))
process.send({ ready: { url } })
