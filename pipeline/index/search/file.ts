import { closeSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

/** Where a part of the file stands, in bytes. */
export interface Place {
  at: number
  bytes: number
}

type Numbers = Uint8Array | Uint32Array | Float64Array

const BUFFERED = 1024 * 1024
/** Length of the number at the end of the file that says how long the table of contents is. */
const TAIL = 8

/** Writes a file of parts one after another, and at its end where each of them stands. */
export class PartsWriter {
  readonly #fd: number
  readonly #buffer = Buffer.allocUnsafe(BUFFERED)
  #length = 0
  #flushed = 0

  constructor(file: string) {
    this.#fd = openSync(file, 'w')
  }

  get position(): number {
    return this.#flushed + this.#length
  }

  write(bytes: Uint8Array): void {
    if (this.#length + bytes.length > BUFFERED) this.#flush()
    if (bytes.length > BUFFERED) {
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#fd, bytes, at)
      this.#flushed += bytes.length
    } else {
      this.#buffer.set(bytes, this.#length)
      this.#length += bytes.length
    }
  }

  part(numbers: Numbers): Place {
    const at = this.position
    this.write(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength))
    return { at, bytes: numbers.byteLength }
  }

  /** On disk when it returns. */
  end(contents: object): void {
    const table = Buffer.from(JSON.stringify(contents))
    const tail = Buffer.alloc(TAIL)
    tail.writeUIntBE(table.length, 0, 6)
    this.write(Buffer.concat([table, tail]))
    this.#flush()
    fsyncSync(this.#fd)
    closeSync(this.#fd)
  }

  #flush(): void {
    for (let at = 0; at < this.#length; ) {
      at += writeSync(this.#fd, this.#buffer, at, this.#length - at)
    }
    this.#flushed += this.#length
    this.#length = 0
  }
}

/**
 * Reads such a file. What is always needed is loaded; the rest is read where it stands, from the
 * page cache, which every process of the host shares.
 */
export class PartsReader<Contents> {
  readonly contents: Contents
  readonly #handle: FileHandle

  private constructor(handle: FileHandle, contents: Contents) {
    this.#handle = handle
    this.contents = contents
  }

  static async open<Contents>(file: string): Promise<PartsReader<Contents>> {
    const handle = await open(file)
    try {
      const { size } = await handle.stat()
      const tail = Buffer.alloc(TAIL)
      await handle.read(tail, 0, TAIL, size - TAIL)
      const table = Buffer.alloc(tail.readUIntBE(0, 6))
      await handle.read(table, 0, table.length, size - TAIL - table.length)
      return new PartsReader(handle, JSON.parse(table.toString()) as Contents)
    } catch (error) {
      await handle.close()
      throw error
    }
  }

  async bytes({ at, bytes }: Place): Promise<Uint8Array> {
    const loaded = new Uint8Array(bytes)
    for (let done = 0; done < bytes; ) {
      const { bytesRead } = await this.#handle.read(loaded, done, bytes - done, at + done)
      if (bytesRead === 0) throw new Error('the search file is cut off')
      done += bytesRead
    }
    return loaded
  }

  async uint32(place: Place): Promise<Uint32Array> {
    return new Uint32Array((await this.bytes(place)).buffer)
  }

  async float64(place: Place): Promise<Float64Array> {
    return new Float64Array((await this.bytes(place)).buffer)
  }

  /** Reads into `target` at once; the number of bytes there were. */
  readInto(target: Uint8Array, length: number, at: number): number {
    return readSync(this.#handle.fd, target, 0, length, at)
  }

  close(): Promise<void> {
    return this.#handle.close()
  }
}
