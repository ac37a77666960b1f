import { buildProgram } from './command-line/program.ts'

buildProgram()
  .parseAsync()
  .catch(error => {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
    process.exitCode = 1
  })
