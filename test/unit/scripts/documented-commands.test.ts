import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { buildProgram } from '../../../scripts/command-line/program.ts'

const root = join(import.meta.dirname, '../../..')
const program = buildProgram()
const documents = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.md'))
  .map(name => `docs/${name}`)

/** Lists the commands that a text shows: those typed after `registry --`, and code that begins with one. */
function listCommands(text: string): string[] {
  const typed = Array.from(text.matchAll(/registry -- ([a-z][^`\n]*)/g), ([, line]) => line!)
  const named = Array.from(text.matchAll(/`([a-z]+ [^`\n]*)`/g), ([, code]) => code!)
  const names = program.commands.map(command => command.name())
  return [...typed, ...named.filter(code => names.includes(code.split(' ')[0]!))]
}

/** Finds what is wrong with a command line; undefined where all its words are known. */
function findFault(line: string): string | undefined {
  const words = line
    .replace(/[[\]]/g, '')
    .replace(/\s[#|>&].*/, '')
    .split(/\s+/)
  let command: Command = program
  for (const word of words) {
    if (word === '--help') return undefined
    if (word.startsWith('--') && word !== '--') {
      const isKnown = command.options.some(({ long }) => long === word.split(/[=|]/)[0])
      if (!isKnown) return `${line}: no option ${word}`
    } else if (command.commands.length > 0) {
      const choices = word.split(/\\?\|/)
      const found = choices.map(choice => command.commands.find(sub => sub.name() === choice))
      if (found.includes(undefined)) return `${line}: no command ${word}`
      command = found[0]!
    }
  }
  return undefined
}

test.each(documents)('%s shows only commands and options that there are', document => {
  const faults = listCommands(readFileSync(join(root, document), 'utf8')).map(findFault)
  expect(faults.filter(fault => fault !== undefined)).toEqual([])
})

test('a command or an option that there is not would be found', () => {
  const text = '`held keep DOMAIN`, `backup DIR --fast` and\nnpm run -s registry -- key destroy 1\n'
  expect(listCommands(text).map(findFault)).toEqual([
    'key destroy 1: no command destroy',
    'held keep DOMAIN: no command keep',
    'backup DIR --fast: no option --fast',
  ])
})
