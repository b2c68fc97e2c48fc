// The load of the gateway bench, in a process of its own so that its cost is in nobody's figure. Whole HTTP messages are made once and written to
// bare sockets; a connection sends the next one when the answer to the last is there.
import { once } from 'node:events'
import { connect } from 'node:net'
import { bodiesOf, type Kind } from './bodies.ts'

export interface Round {
  readonly kind: Kind
  readonly port: number
  readonly connections: number
  readonly requests: number
}

const answered = Buffer.from('HTTP/1.1 200 OK')

async function run({ kind, port, connections, requests }: Round): Promise<void> {
  const { contentType, contentEncoding, bodies } = bodiesOf(kind)
  const messages = bodies.map(body => {
    const lines = ['POST /v1/traces HTTP/1.1', 'host: bench', 'authorization: Basic YmVuY2g6YmVuY2g=', `content-type: ${contentType}`]
    const head = [...lines, `content-encoding: ${contentEncoding}`, `content-length: ${body.length}`, '', ''].join('\r\n')
    return Buffer.concat([Buffer.from(head), body])
  })
  let next = 0
  const worker = async () => {
    const socket = connect(port, '127.0.0.1').setNoDelay()
    await once(socket, 'connect')
    while (next < requests) {
      socket.write(messages[next++ % messages.length]!)
      const [answer] = (await once(socket, 'data')) as [Buffer]
      if (!answer.subarray(0, answered.length).equals(answered)) throw new Error(`Not accepted: ${answer}`)
    }
    socket.destroy()
  }
  await Promise.all(Array.from({ length: connections }, worker))
}

process.on('message', (round: Round) => {
  run(round).then(() => process.send?.('done'))
})
process.send?.('ready')
