import { Session } from 'node:inspector/promises'
import { serveApi } from '../../commands/roles.ts'

/** Time between two samples. */
const INTERVAL_MICROS = 200

/** Runs the API from its single modules, so that a profile names them, and profiles it when the parent asks. */
const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.setSamplingInterval', { interval: INTERVAL_MICROS })
process.on('message', async (question: { profile?: 'start' | 'stop' }) => {
  if (question.profile === 'start') {
    await session.post('Profiler.start')
    process.send?.({})
  } else if (question.profile === 'stop') {
    process.send?.((await session.post('Profiler.stop')).profile)
  }
})
await serveApi()
