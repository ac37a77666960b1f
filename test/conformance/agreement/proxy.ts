import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Send } from '../agent.ts'

/** Longer than a step of a storyboard waits for the first webhook. */
const LATE_MS = 45_000

// biome-ignore lint/suspicious/noExplicitAny: answers of any task
export type Payload = Record<string, any>

/** A call of a task, and those before it. */
export interface Call {
  task: string
  args: Payload
  authorization: string
  earlier: readonly Call[]
}

/** An answer of the agent, of which a fault changes one thing. */
export interface Answer {
  status: number
  headers: Record<string, string>
  payload: Payload | undefined
  isError: boolean
  /** Ends the connection in place of an answer. */
  hangsUp?: true
  /** Sent in place of everything else. */
  raw?: string
}

/** A fault that is planted in an agent; a function returns true where it changed something. */
export interface Fault {
  name: string
  /** Changes the call before the agent gets it. */
  ask?: (call: Call) => boolean
  answer?: (answer: Answer, call: Call) => boolean
  /** Replaces the credential that a caller sent. */
  authorize?: (authorization: string) => string | undefined
  /** Changes a webhook before it is sent; `drop` keeps it back, `late` for longer than anybody waits. */
  post?: (webhook: { headers: Record<string, string>; body: Payload }) => boolean | 'drop' | 'late'
  /** Answers to what is no call of a task, such as an opening of a conversation. */
  refusal?: (answer: Answer) => boolean
}

/** Stands before an agent, and plants a fault in its answers. */
export class FaultProxy {
  fault: Fault | undefined
  /** Faults of which each would have changed something. */
  readonly wouldFire = new Set<Fault>()
  app: FastifyInstance | undefined
  readonly #server = createServer((request, response) => this.#serve(request, response))
  readonly #calls: Call[] = []
  readonly #closed = Promise.withResolvers<void>()
  #isClosed = false
  readonly #watched: readonly Fault[]

  constructor(watched: readonly Fault[] = []) {
    this.#watched = watched
  }

  async listen(): Promise<string> {
    await new Promise<void>(resolve => this.#server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  close(): void {
    this.#isClosed = true
    this.#closed.resolve()
    this.#server.close()
    this.#server.closeAllConnections()
  }

  /** Sends a webhook, with the fault in it. */
  wrap(send: Send): Send {
    return async (url, options) => {
      const { headers = {}, body = '' } = options
      for (const fault of this.#watched) if (fault.post !== undefined) this.wouldFire.add(fault)
      const webhook = { headers: { ...headers }, body: parse(String(body)) ?? {} }
      const changed = this.fault?.post?.(webhook)
      if (changed === undefined || changed === false) return send(url, options)
      if (changed === 'late') await Promise.race([setTimeout(LATE_MS), this.#closed.promise])
      if (changed === 'drop' || this.#isClosed) {
        return { kind: 'failed', outcome: 'timeout', detail: '', url, tookMs: 0 }
      }
      return send(url, { ...options, headers: webhook.headers, body: JSON.stringify(webhook.body) })
    }
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request)
    const message = request.method === 'POST' ? parse(body) : undefined
    const call =
      message?.method === 'tools/call' ? this.#readCall(message, request.headers) : undefined
    const asked = structuredClone(call)
    if (call !== undefined) this.fault?.ask?.(call)
    const { headers } = request
    const credential = headers.authorization ?? ''
    const authorization = this.fault?.authorize?.(credential) ?? headers.authorization
    const got = await this.app!.inject({
      method: request.method as 'GET',
      url: request.url!,
      headers: {
        host: headers.host!,
        accept: request.method === 'POST' ? 'application/json' : '*/*',
        ...(authorization !== undefined && { authorization }),
        ...(message !== undefined && { 'content-type': 'application/json' }),
      },
      ...(message !== undefined && { payload: JSON.stringify(message) }),
    })
    const reply = parse(got.body)
    const answer: Answer = {
      status: got.statusCode,
      headers: pickHeaders(got.headers),
      payload: reply?.result?.structuredContent,
      isError: reply?.result?.isError === true,
    }
    const isAnswered = call !== undefined && answer.payload !== undefined
    for (const fault of this.#watched) {
      if (message !== undefined && fault.authorize?.(credential) !== undefined)
        this.wouldFire.add(fault)
      const [question, copy] = structuredClone([asked, answer] as const)
      const isChanged = isAnswered
        ? fault.ask?.(question!) || fault.answer?.(copy, question!)
        : (question && fault.ask?.(question)) || fault.refusal?.(copy)
      if (isChanged) this.wouldFire.add(fault)
    }
    if (isAnswered) this.fault?.answer?.(answer, call)
    else this.fault?.refusal?.(answer)
    if (answer.hangsUp) return void response.destroy()
    response.writeHead(answer.status, answer.headers)
    response.end(answer.raw ?? (isAnswered ? writeReply(reply!, answer) : got.body))
  }

  #readCall(message: Payload, { authorization = '' }: IncomingMessage['headers']): Call {
    const { name, arguments: args = {} } = message.params
    message.params.arguments = args
    const call = { task: name, args, authorization, earlier: [...this.#calls] }
    this.#calls.push({ ...call, args: structuredClone(args) })
    return call
  }
}

function writeReply(reply: Payload, { payload, isError }: Answer): string {
  const content = payload === undefined ? [] : [{ type: 'text', text: JSON.stringify(payload) }]
  const result = { content, structuredContent: payload, ...(isError && { isError: true }) }
  return JSON.stringify({ ...reply, result })
}

function pickHeaders(headers: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    ['content-type', 'www-authenticate', 'allow', 'retry-after']
      .filter(name => headers[name] !== undefined)
      .map(name => [name, String(headers[name])]),
  )
}

function parse(body: string): Payload | undefined {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}
