import type { PartsWriter, Place } from './file.ts'
import { PostingsBuffer } from './postings.ts'
import { END, gramOf } from './texts.ts'

/** Entries that are sorted by gram at once: what building needs grows no further with their number. */
const RUN = 200_000

interface Run {
  /** Rising. */
  grams: Uint32Array
  /** How many ids each has, and where its bytes end. */
  counts: Uint32Array
  ends: Uint32Array
  bytes: Uint8Array
}

/** Where the lists of grams stand. */
export interface GramsContents {
  grams: Place
  counts: Place
  /** Where each list ends, counted from `lists`. */
  ends: Place
  lists: Place
}

/** What is known of the 256 grams that share their first two bytes. */
interface Page {
  /** How many entries of the run have it; then where the next of them goes. */
  counts: Uint32Array
  /** The last entry that was counted, plus one; and the last that was written, plus one. */
  seen: Uint32Array
  written: Uint32Array
}

/** Makes the list of entries of every gram, three bytes that follow each other in one of their texts. */
export class GramsBuilder {
  readonly #pages: (Page | undefined)[] = Array(2 ** 16)
  readonly #runs: Run[] = []

  /** Takes in all entries; the texts of entry `i` begin at `starts[i]`. */
  addAll(texts: Uint8Array, starts: ArrayLike<number>, count: number): void {
    for (let first = 0; first < count; first += RUN) {
      this.#addRun(texts, starts, first, Math.min(count, first + RUN))
    }
  }

  #addRun(texts: Uint8Array, starts: ArrayLike<number>, first: number, end: number): void {
    const found: number[] = []
    let total = 0
    this.#eachGram(texts, starts, first, end, ({ counts }, gram) => {
      if (counts[gram & 255]!++ === 0) found.push(gram)
      total++
    })
    const grams = Uint32Array.from(found).sort()
    const ids = new Uint32Array(total)
    const sizes = new Uint32Array(grams.length)
    let place = 0
    for (const [i, gram] of grams.entries()) {
      const { counts, seen } = this.#pageOf(gram)
      sizes[i] = counts[gram & 255]!
      counts[gram & 255] = place
      seen[gram & 255] = 0
      place += sizes[i]!
    }
    this.#eachGram(texts, starts, first, end, ({ counts }, gram, id) => {
      ids[counts[gram & 255]!++] = id
    })
    this.#runs.push(this.#pack(grams, sizes, ids))
    for (const gram of grams) this.#pageOf(gram).counts[gram & 255] = 0
  }

  #pack(grams: Uint32Array, counts: Uint32Array, ids: Uint32Array): Run {
    const packed = new PostingsBuffer()
    const ends = new Uint32Array(grams.length)
    let at = 0
    for (const [i, gram] of grams.entries()) {
      const { written } = this.#pageOf(gram)
      let before = written[gram & 255]!
      for (const end = at + counts[i]!; at < end; at++) {
        packed.add(ids[at]! + 1 - before)
        before = ids[at]! + 1
      }
      written[gram & 255] = before
      ends[i] = packed.length
    }
    return { grams, counts, ends, bytes: packed.slice().slice() }
  }

  #pageOf(gram: number): Page {
    const number = gram >> 8
    let page = this.#pages[number]
    if (page === undefined) {
      const make = () => new Uint32Array(256)
      page = { counts: make(), seen: make(), written: make() }
      this.#pages[number] = page
    }
    return page
  }

  /** Each gram once an entry. The last byte of a text has a gram of its own, filled up with END. */
  #eachGram(
    texts: Uint8Array,
    starts: ArrayLike<number>,
    first: number,
    end: number,
    found: (page: Page, gram: number, id: number) => void,
  ): void {
    for (let id = first; id < end; id++) {
      const stop = starts[id + 1]!
      for (let at = starts[id]!; at < stop; at++) {
        if (texts[at] === END) continue
        const b = texts[at + 1]!
        const gram = gramOf(texts[at]!, b, b === END ? END : texts[at + 2]!)
        const page = this.#pageOf(gram)
        if (page.seen[gram & 255] === id + 1) continue
        page.seen[gram & 255] = id + 1
        found(page, gram, id)
      }
    }
  }

  /** Joins the runs: a list goes on where the run before left it. */
  write(file: PartsWriter): GramsContents {
    const all = [...new Set(this.#runs.flatMap(run => Array.from(run.grams)))]
    const grams = Uint32Array.from(all).sort()
    const counts = new Uint32Array(grams.length)
    const ends = new Float64Array(grams.length)
    const next = this.#runs.map(() => 0)
    const at = file.position
    for (let i = 0; i < grams.length; i++) {
      for (let r = 0; r < next.length; r++) {
        const run = this.#runs[r]!
        const n = next[r]!
        if (run.grams[n] !== grams[i]) continue
        file.write(run.bytes.subarray(n === 0 ? 0 : run.ends[n - 1]!, run.ends[n]!))
        counts[i]! += run.counts[n]!
        next[r] = n + 1
      }
      ends[i] = file.position - at
    }
    const lists = { at, bytes: file.position - at }
    return {
      grams: file.part(grams),
      counts: file.part(counts),
      ends: file.part(ends),
      lists,
    }
  }
}
