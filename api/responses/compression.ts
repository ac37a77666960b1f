import { promisify } from 'node:util'
import { brotliCompress, constants, gzip, zstdCompress } from 'node:zlib'

/** Encodings in the order of preference. */
const encodings = ['br', 'zstd', 'gzip'] as const
export type Encoding = (typeof encodings)[number]

/** Length from which answers are compressed; shorter ones fit into a packet or two. */
const COMPRESSED_BYTES_MIN = 1_400
/** Concurrent compressions: they run on the threads that snapshot queries need. */
const COMPRESSIONS_MAX = 2
const BROTLI_QUALITY = 4
const GZIP_LEVEL = 5
/** Values of `Accept-Encoding` whose choice is cached; clients send few different ones. */
const HEADERS_CACHED_MAX = 200

const compressors: Record<Encoding, (body: Buffer) => Promise<Buffer>> = {
  br: body => {
    const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants
    const params = { [BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [BROTLI_PARAM_SIZE_HINT]: body.length }
    return promisify(brotliCompress)(body, { params })
  },
  gzip: body => promisify(gzip)(body, { level: GZIP_LEVEL }),
  zstd: body => promisify(zstdCompress)(body),
}

/** Tells whether an answer of this length and media type is worth compressing. */
export function isCompressible(length: number, type: string): boolean {
  return (
    length >= COMPRESSED_BYTES_MIN &&
    /^(?:text\/|application\/(?:[a-z.-]+\+)?(?:json|yaml))/.test(type)
  )
}

/** Compresses the answers of one app, a few at a time. */
export class Compressor {
  readonly #encodings = new Map<string, Encoding | undefined>()
  #running = 0

  /** Chooses the encoding that an `Accept-Encoding` prefers; undefined for none. */
  chooseEncoding(accepted: string | undefined): Encoding | undefined {
    if (accepted === undefined) return undefined
    if (this.#encodings.has(accepted)) return this.#encodings.get(accepted)
    if (this.#encodings.size >= HEADERS_CACHED_MAX) this.#encodings.clear()
    const encoding = chooseEncoding(accepted)
    this.#encodings.set(accepted, encoding)
    return encoding
  }

  /** Compresses on another thread; undefined while others are busy with that: the answer is then sent uncompressed. */
  async compress(body: Buffer, encoding: Encoding): Promise<Buffer | undefined> {
    if (this.#running >= COMPRESSIONS_MAX) return undefined
    this.#running++
    try {
      return await compressors[encoding](body)
    } finally {
      this.#running--
    }
  }
}

/**
 * Chooses the encoding of most weight in an `Accept-Encoding`, the first offered where others weigh as much.
 */
export function chooseEncoding(
  accepted: string,
  offered: readonly Encoding[] = encodings,
): Encoding | undefined {
  const weights = new Map(accepted.toLowerCase().split(',').map(readWeight))
  // Many that accept anything do not know Zstandard.
  const anyWeight = (name: string) => (name === 'zstd' ? undefined : weights.get('*'))
  const getWeight = (name: string) => weights.get(name) ?? anyWeight(name) ?? 0
  const plain = weights.get('identity') ?? 0
  let best: Encoding | undefined
  for (const encoding of offered) {
    const weight = getWeight(encoding)
    if (weight > 0 && weight >= plain && weight > (best ? getWeight(best) : 0)) best = encoding
  }
  return best
}

function readWeight(part: string): [name: string, weight: number] {
  const [name = '', ...parameters] = part.split(';').map(text => text.trim())
  const parameter = parameters.find(text => text.startsWith('q='))?.slice(2)
  const weight = parameter === undefined ? 1 : Number(parameter)
  return [name, Number.isNaN(weight) ? 0 : weight]
}
