import { type ChildProcess, spawn } from 'node:child_process'
import type { Step } from '../../pipeline/writer/sequencer.ts'
import { findProgram } from './programs.ts'
import { cleanUp } from './registry.ts'

/** Where a writer dies: before a step, or when what the step writes is on disk. */
export interface Fault {
  step: Step
  moment: 'before' | 'after'
}

/** A script of this folder in a process of its own, which says what it does and is told what to do. */
export class Scripted {
  readonly #child: ChildProcess
  readonly #said: { word: string; value: unknown }[] = []
  readonly #ended: Promise<NodeJS.Signals | number | null>
  #heard = 0
  #isOver = false
  #text = ''
  #wake = () => {}

  constructor(script: string, args: readonly string[]) {
    const file = findProgram(`test/support/${script}`)
    this.#child = spawn(process.execPath, [file, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
    this.#child.stdin!.on('error', () => {})
    this.#child.stdout!.setEncoding('utf8').on('data', text => this.#hear(text))
    this.#ended = new Promise(resolve => {
      this.#child.once('close', (status, signal) => {
        this.#isOver = true
        resolve(signal ?? status)
        this.#wake()
      })
    })
    cleanUp(() => this.kill().then(() => {}))
  }

  /** How it ended, when it has. */
  get ended(): Promise<NodeJS.Signals | number | null> {
    return this.#ended
  }

  /** Everything it said with this word. */
  said<Value>(word: string): Value[] {
    return this.#said.filter(said => said.word === word).map(({ value }) => value as Value)
  }

  /** Waits until it says the word, after what was waited for before. */
  async hear<Value>(word: string): Promise<Value> {
    for (;;) {
      while (this.#said.length <= this.#heard) {
        if (this.#isOver) throw new Error(`it ended before it said ${word}`)
        await new Promise<void>(resolve => {
          this.#wake = resolve
        })
      }
      const said = this.#said[this.#heard++]!
      if (said.word === word) return said.value as Value
    }
  }

  tell(line: string): void {
    this.#child.stdin!.write(`${line}\n`)
  }

  /** kill -9; resolves when it is dead and all it said has been heard. */
  kill(): Promise<NodeJS.Signals | number | null> {
    this.#child.kill('SIGKILL')
    return this.#ended
  }

  #hear(text: string): void {
    const lines = (this.#text + text).split('\n')
    this.#text = lines.pop()!
    for (const line of lines) {
      const space = line.indexOf(' ')
      this.#said.push({ word: line.slice(0, space), value: JSON.parse(line.slice(space + 1)) })
    }
    this.#wake()
  }
}

/** A writer in a process of its own. */
export class Writer extends Scripted {
  constructor(mode: 'fault' | 'loop' | 'obey', dataDir: string, options: object = {}) {
    super('writer.ts', [mode, dataDir, JSON.stringify(options)])
  }
}
