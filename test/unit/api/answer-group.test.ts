import { fastify } from 'fastify'
import { expect, test } from 'vitest'
import { AnswerGroup } from '../../../api/responses/answer-group.ts'
import { cleanUp } from '../../support/registry/registry.ts'

const CALLERS = 100

async function serve(send: (number: string) => string | Promise<string>): Promise<string> {
  const app = fastify()
  cleanUp(() => app.close())
  const group = new AnswerGroup()
  app.get<{ Params: { number: string } }>('/:number', (request, reply) => {
    group.add(reply, () => {
      const text = send(request.params.number)
      return text instanceof Promise ? text.then(late => reply.send(late)) : reply.send(text)
    })
  })
  return app.listen({ host: '127.0.0.1', port: 0 })
}

test('concurrent callers each get their own answer', async () => {
  const url = await serve(number => (Number(number) % 2 === 0 ? number : Promise.resolve(number)))
  const numbers = Array.from({ length: CALLERS }, (_, n) => String(n))
  const answers = await Promise.all(numbers.map(async n => (await fetch(`${url}/${n}`)).text()))
  expect(answers).toEqual(numbers)
})

test('an answer that cannot be sent is an error of its caller alone', async () => {
  const fail = (number: string): string | Promise<string> => {
    if (number === '1') throw new Error('cannot be sent')
    return number === '2' ? Promise.reject(new Error('cannot be compressed')) : number
  }
  const url = await serve(fail)
  const numbers = ['0', '1', '2', '3']
  const statuses = await Promise.all(numbers.map(async n => (await fetch(`${url}/${n}`)).status))
  expect(statuses).toEqual([200, 500, 500, 200])
})
