import dns2 from 'dns2'

const { TYPE, CLASS } = dns2.Packet
const rcode = { servfail: 2, nxdomain: 3 }

interface Entry {
  A?: string[]
  AAAA?: string[]
  TXT?: string[]
  ttl?: number
  /** The server fails, or says nothing at all. */
  fails?: true
  silent?: true
}

/** A name server on loopback. A name that is not in its zone does not exist. */
export interface NameServer {
  /** HOST:PORT, for `DNS_SERVER`. */
  address: string
  zone: Record<string, Entry>
  /** `name type` of every question, in order. */
  questions: string[]
  close(): Promise<void>
}

export async function startNameServer(): Promise<NameServer> {
  const names: NameServer = { address: '', zone: {}, questions: [], close: () => server.close() }
  const server = dns2.createServer({
    udp: true,
    handle(request, send) {
      const response = dns2.Packet.createResponseFromRequest(request)
      const { name, type } = request.questions[0]! as { name: string; type: number }
      const kind = ({ [TYPE.A]: 'A', [TYPE.AAAA]: 'AAAA', [TYPE.TXT]: 'TXT' } as const)[type]
      const entry = names.zone[name]
      names.questions.push(`${name} ${kind}`)
      if (entry?.silent) return
      if (entry === undefined) response.header.rcode = rcode.nxdomain
      else if (entry.fails) response.header.rcode = rcode.servfail
      for (const value of (kind && entry?.[kind]) ?? []) {
        const data = kind === 'TXT' ? { data: value } : { address: value }
        const ttl = entry?.ttl ?? 60
        response.answers.push({ name, type, class: CLASS.IN, ttl, ...data } as never)
      }
      void send(response)
    },
  })
  const { udp } = await server.listen({ udp: { port: 0, address: '127.0.0.1' } })
  names.address = `127.0.0.1:${udp!.port}`
  return names
}
