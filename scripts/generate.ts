import { readFileSync, writeFileSync } from 'node:fs'
import { dataDictionary } from './generate/data-dictionary.ts'
import { environmentExample, replaceSections } from './generate/readme.ts'

/** Every derived document, by path. `npm run generate` writes them; `--check` fails on a difference. */
const documents: Record<string, () => Promise<string> | string> = {
  'data/README.md': dataDictionary,
  'README.md': () => replaceSections(read('README.md')),
  '.env.example': environmentExample,
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

const isCheck = process.argv.includes('--check')
for (const [path, render] of Object.entries(documents)) {
  const text = await render()
  if (text === read(path)) continue
  if (isCheck) {
    process.stderr.write(`${path} differs from what it is derived from: npm run generate\n`)
    process.exitCode = 1
  } else {
    writeFileSync(path, text)
    process.stdout.write(`${path} written\n`)
  }
}
