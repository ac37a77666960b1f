import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { fastify } from 'fastify'
import { z } from 'zod'

/**
 * Serves the least a tool call can cost: a tool of the official SDK with one constant answer,
 * without sessions, behind a Fastify route. Plain JavaScript without a line of the registry.
 */
const { path, bytes } = JSON.parse(process.argv[2])
const app = fastify()
const text = 'x'.repeat(bytes)

app.post(path, async (request, reply) => {
  const server = new McpServer({ name: 'bare', version: '1.0.0' })
  server.registerTool('echo', { inputSchema: { text: z.string() } }, () => ({
    content: [{ type: 'text', text }],
  }))
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  const headers = { ...request.headers, accept: 'application/json, text/event-stream' }
  const call = new Request(`http://localhost${path}`, { method: 'POST', headers })
  const answer = await transport.handleRequest(call, { parsedBody: request.body })
  reply.code(answer.status).headers(Object.fromEntries(answer.headers))
  return Buffer.from(await answer.arrayBuffer())
})
const url = await app.listen({ host: '127.0.0.1', port: 0 })
process.on('disconnect', () => process.exit(0))
process.send({ ready: { url } })
