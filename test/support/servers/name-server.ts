import dns2 from 'dns2'

const { TYPE, CLASS } = dns2.Packet
const rcode = { servfail: 2, nxdomain: 3 }

export interface Records {
  A?: string[]
  AAAA?: string[]
  /** Each a record; of several texts where it is sent in pieces. */
  TXT?: (string | string[])[]
  ttl?: number
  /** The server fails, or says nothing at all. */
  fails?: true
  silent?: true
}

/** A name server on loopback: it knows what is in its zone, and remembers what it was asked. */
export interface NameServer {
  /** HOST:PORT, for `DNS_SERVER`. */
  address: string
  zone: Record<string, Records>
  /** Answer for names that are not in the zone, instead of NXDOMAIN. */
  otherwise?: Records
  /** `name TYPE` of every question, in order. */
  asked: string[]
  close(): Promise<void>
}

export async function serveNames(): Promise<NameServer> {
  const server = dns2.createServer({
    udp: true,
    handle(request, send) {
      const response = dns2.Packet.createResponseFromRequest(request)
      const { name, type } = request.questions[0]! as { name: string; type: number }
      const kind = ({ [TYPE.A]: 'A', [TYPE.AAAA]: 'AAAA', [TYPE.TXT]: 'TXT' } as const)[type]
      const entry = names.zone[name] ?? names.otherwise
      names.asked.push(`${name} ${kind}`)
      if (entry?.silent) return
      if (entry === undefined) response.header.rcode = rcode.nxdomain
      else if (entry.fails) response.header.rcode = rcode.servfail
      for (const value of (kind && entry?.[kind]) ?? []) {
        const data = kind === 'TXT' ? { data: value } : { address: value }
        const record = { name, type, class: CLASS.IN, ttl: entry?.ttl ?? 60, ...data }
        response.answers.push(record as never)
      }
      void send(response)
    },
  })
  const { udp } = await server.listen({ udp: { port: 0, address: '127.0.0.1' } })
  const names: NameServer = {
    address: `127.0.0.1:${udp!.port}`,
    zone: {},
    asked: [],
    close: async () => void (await server.close()),
  }
  return names
}
