import type { CollectionContents } from './collection.ts'
import { splitWords } from './fold.ts'
import { Owners } from './owners.ts'
import type { PartsWriter } from './parts-writer.ts'
import type { SearchEntry } from './search-entries.ts'
import { writeSuffixes } from './suffixes-builder.ts'
import { ALIAS_MARK, NAME, TextsBuffer } from './texts.ts'
import { VocabularyBuilder } from './vocabulary-builder.ts'

/** Builds one collection from its entries in order. Items are written to the file as they come. */
export class CollectionBuilder {
  readonly #file: PartsWriter
  readonly #itemsAt: number
  readonly #texts = new TextsBuffer()
  readonly #words = new VocabularyBuilder()
  readonly #textStarts = [0]
  readonly #itemStarts = [0]
  readonly #flags: number[] = []

  constructor(file: PartsWriter) {
    this.#file = file
    this.#itemsAt = file.begin()
  }

  add({ names, aliases, flags, item }: SearchEntry): void {
    for (const name of names) this.#texts.add(NAME, name)
    for (const text of aliases) this.#texts.add(ALIAS_MARK, text)
    this.#words.add(this.#flags.length, [...names, ...aliases].flatMap(splitWords))
    this.#file.write(Buffer.from(JSON.stringify(item)))
    this.#textStarts.push(this.#texts.length)
    this.#itemStarts.push(this.#file.position - this.#itemsAt)
    this.#flags.push(flags)
  }

  finish(): CollectionContents {
    const file = this.#file
    const items = { at: this.#itemsAt, bytes: file.position - this.#itemsAt }
    const count = this.#flags.length
    const texts = this.#texts.slice()
    const textStarts = Uint32Array.from(this.#textStarts)
    return {
      count,
      items,
      texts: file.part(texts),
      textStarts: file.part(textStarts),
      itemStarts: file.part(Float64Array.from(this.#itemStarts)),
      flags: file.part(Uint8Array.from(this.#flags)),
      suffixes: writeSuffixes(file, texts, new Owners(textStarts)),
      words: this.#words.write(file),
    }
  }
}
