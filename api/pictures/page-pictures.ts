import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { PublicError } from '../../pipeline/core/errors.ts'
import { FairQueue } from '../../pipeline/core/fair-queue.ts'
import { drawPicture, HEIGHT, WIDTH } from './draw.ts'
import { PictureFiles } from './picture-files.ts'

const MEMORY_BYTES_MAX = 16 * 1024 * 1024
/** Bytes that drawing takes on a thread: a picture is never drawn where requests are answered. */
const PIXEL_BYTES = WIDTH * HEIGHT * 4
/** Pictures that are drawn at once, and that may wait for it. */
const DRAWN_AT_ONCE = 2
const WAITING_MAX = 64
const BUSY_MESSAGE = 'too many pictures are drawn at once; try again'

/** Threads that draw. */
interface Workers {
  run(name: 'toPng', origin: { caller: string; bytes: number }, svg: string): Promise<Uint8Array>
}

interface PictureOptions {
  workers: Workers
  /** Folder of the cache. */
  folder: string
  /** Bytes of the pictures in it at most. */
  maxBytes: number
}

/** A picture for a page, and whether it is the page's own. */
export interface PagePicture {
  png: Buffer
  isOwn: boolean
}

/**
 * Draws pictures of pages, and caches them by their SVG, so that one is drawn again only when the text on it
 * changes. Drawing takes a tenth of a second of a processor, and anybody can ask for pictures of all pages. So a
 * few are drawn at once, callers take turns, and whoever would have to wait gets the picture of the registry
 * meanwhile.
 */
export class PagePictures {
  readonly #workers: Workers
  readonly #files: PictureFiles
  readonly #queue = new FairQueue({
    tools: [...Array(DRAWN_AT_ONCE).keys()],
    waitingMax: WAITING_MAX,
    refusal: BUSY_MESSAGE,
  })
  readonly #drawn = new LRUCache<string, Buffer>({
    maxSize: MEMORY_BYTES_MAX,
    sizeCalculation: ({ length }) => length,
  })
  readonly #drawing = new Map<string, Promise<Buffer | undefined>>()
  readonly #general = new Map<string, Promise<Buffer>>()

  constructor({ workers, folder, maxBytes }: PictureOptions) {
    this.#workers = workers
    this.#files = new PictureFiles(folder, maxBytes)
  }

  /** Finds the picture of a page, or that of the registry while the page's own is being drawn. */
  async find(
    svg: string,
    { caller, host }: { caller: string; host: string },
  ): Promise<PagePicture> {
    const key = hash('sha256', svg, 'hex')
    const known = this.#drawn.get(key) ?? (await this.#files.find(key))
    if (known !== undefined) {
      this.#drawn.set(key, known)
      return { png: known, isOwn: true }
    }
    const general = this.#findGeneral(host)
    const isBusy = this.#drawing.size >= DRAWN_AT_ONCE
    const drawing = this.#drawing.get(key) ?? this.#begin(key, svg, caller)
    const png = isBusy ? undefined : await drawing
    return png ? { png, isOwn: true } : { png: await general, isOwn: false }
  }

  /** Begins to draw a picture; the promise has none if too many wait. */
  #begin(key: string, svg: string, caller: string): Promise<Buffer | undefined> {
    const drawing = this.#queue
      .run(caller, () => this.#draw(svg, caller))
      .then(png => {
        this.#drawn.set(key, png)
        // Nobody waits for the disk.
        void this.#files.keep(key, png, caller)
        return png
      })
      .catch(ignoreRefusal)
      .finally(() => this.#drawing.delete(key))
    this.#drawing.set(key, drawing)
    // Whoever does not wait for it gets no error either.
    drawing.catch(() => undefined)
    return drawing
  }

  async #draw(svg: string, caller: string): Promise<Buffer> {
    return Buffer.from(await this.#workers.run('toPng', { caller, bytes: PIXEL_BYTES }, svg))
  }

  /** Finds the picture of the registry, which is drawn once. */
  #findGeneral(host: string): Promise<Buffer> {
    const known = this.#general.get(host)
    if (known !== undefined) return known
    const text = { kind: '', title: 'Brands, publishers and their agents', description: '', host }
    const drawing = this.#draw(drawPicture(text), '')
    this.#general.clear()
    this.#general.set(host, drawing)
    drawing.catch(() => this.#general.delete(host))
    return drawing
  }
}

function ignoreRefusal(error: unknown): undefined {
  if (error instanceof PublicError) return undefined
  throw error
}
