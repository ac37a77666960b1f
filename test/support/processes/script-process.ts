import { type ChildProcess, spawn } from 'node:child_process'
import type { Step } from '../../../pipeline/writer/sequencer.ts'
import { cleanUp } from '../registry/registry.ts'
import { findProgram } from './programs.ts'

/** The place at which a writer is killed: before a step, or when what the step writes is on disk. */
export interface Fault {
  step: Step
  moment: 'before' | 'after'
}

/**
 * Runs a script of this folder in a process of its own. The script reports on stdout in lines `WORD JSON`, and takes
 * orders on stdin, a line each.
 */
export class ScriptProcess {
  readonly #child: ChildProcess
  readonly #lines: { word: string; value: unknown }[] = []
  readonly #ended: Promise<NodeJS.Signals | number | null>
  #linesRead = 0
  #isOver = false
  #text = ''
  #wake = () => {}

  constructor(script: string, args: readonly string[]) {
    const file = findProgram(`test/support/processes/${script}`)
    this.#child = spawn(process.execPath, [file, ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
    this.#child.stdin!.on('error', () => {})
    this.#child.stdout!.setEncoding('utf8').on('data', text => this.#receive(text))
    this.#ended = new Promise(resolve => {
      this.#child.once('close', (status, signal) => {
        this.#isOver = true
        resolve(signal ?? status)
        this.#wake()
      })
    })
    cleanUp(() => this.kill().then(() => {}))
  }

  /** Resolves with the exit status or the signal once it has ended. */
  get ended(): Promise<NodeJS.Signals | number | null> {
    return this.#ended
  }

  /** Lists the values of all lines so far with this word. */
  listValues<Value>(word: string): Value[] {
    return this.#lines.filter(line => line.word === word).map(({ value }) => value as Value)
  }

  /** Waits for the next line with this word and returns its value; throws if the process ends before. */
  async waitForLine<Value>(word: string): Promise<Value> {
    for (;;) {
      while (this.#lines.length <= this.#linesRead) {
        if (this.#isOver) throw new Error(`it ended before it printed ${word}`)
        await new Promise<void>(resolve => {
          this.#wake = resolve
        })
      }
      const line = this.#lines[this.#linesRead++]!
      if (line.word === word) return line.value as Value
    }
  }

  /** Sends it an order. */
  send(line: string): void {
    this.#child.stdin!.write(`${line}\n`)
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name)
  }

  /** Kills it; resolves when it has ended and all its output was read. */
  kill(): Promise<NodeJS.Signals | number | null> {
    this.#child.kill('SIGKILL')
    return this.#ended
  }

  #receive(text: string): void {
    const lines = (this.#text + text).split('\n')
    this.#text = lines.pop()!
    for (const line of lines) {
      const space = line.indexOf(' ')
      this.#lines.push({ word: line.slice(0, space), value: JSON.parse(line.slice(space + 1)) })
    }
    this.#wake()
  }
}

/** Runs `writer-process.ts`: a sequencer that commits by itself or on orders. */
export class WriterProcess extends ScriptProcess {
  constructor(mode: 'fault' | 'loop' | 'obey', dataDir: string, options: object = {}) {
    super('writer-process.ts', [mode, dataDir, JSON.stringify(options)])
  }
}
