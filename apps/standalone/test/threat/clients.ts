// Clients for an attacker and a neighbor. Both clients run on one machine, but each connects from its own address.
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { socketPathOf } from '@svc-server/commands/socket/address'
import { sendCommand } from '@svc-server/commands/socket/send'
import { createSpanGenerator, metricSum } from '@svc-server/testkit'
import type { Instance } from '../instance.ts'

/** An address of the attacker. Linux can use every address of 127.0.0.0/8. */
export const attackerAddress = '127.0.0.66'
export const neighborAddress = '127.0.0.2'

export const basic = (publicKey: string, secretKey: string) => `Basic ${Buffer.from(`${publicKey}:${secretKey}`).toString('base64')}`

interface Reply {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly ms: number
}

export interface Client {
  post(authorization: string, body: Uint8Array): Promise<Reply>
  get(port: number, path: string): Promise<Reply>
  close(): void
}

export function createClient({ ports }: Instance, localAddress: string, connections: number): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: connections, localAddress })
  async function send(
    port: number,
    path: string,
    method: string,
    headers: Readonly<Record<string, string>>,
    body?: Uint8Array,
  ): Promise<Reply> {
    const startedMs = performance.now()
    const call = request({ host: '127.0.0.1', port, path, method, headers, agent, timeout: 20_000 })
    call.on('timeout', () => call.destroy(new Error('No answer within 20 s.')))
    call.end(body)
    const [response] = await once(call, 'response')
    response.resume()
    await once(response, 'end')
    return { status: response.statusCode, retryAfter: response.headers['retry-after'], ms: performance.now() - startedMs }
  }
  return {
    post: (authorization, body) =>
      send(
        ports.SVC_OTLP_PORT,
        '/v1/traces',
        'POST',
        { authorization, 'content-type': 'application/x-protobuf', 'content-length': String(body.length), 'x-svc-ingestion-version': '4' },
        body,
      ),
    get: (port, path) => send(port, path, 'GET', {}),
    close: () => agent.destroy(),
  }
}

export function createBodies(seed: string): () => Uint8Array {
  const generator = createSpanGenerator({ seed, startTimeMs: Date.now() - 5_000, spansPerRequest: 1 })
  return () => generator.next().protobuf
}

export interface Announced {
  readonly socket: Socket
  received(): string
}

/** Announces a large body, but sends only the bytes `sent`. */
export async function announce({ ports }: Instance, authorization: string, sent = '', localAddress = attackerAddress): Promise<Announced> {
  const socket = connect({ host: '127.0.0.1', port: ports.SVC_OTLP_PORT, localAddress })
  let received = ''
  socket.on('data', chunk => (received += chunk)).on('error', () => {})
  await once(socket, 'connect')
  const head = ['POST /v1/traces HTTP/1.1', 'host: x', `authorization: ${authorization}`, 'content-type: application/json']
  socket.write(`${[...head, `content-length: ${64 * 1024 * 1024}`, '', ''].join('\r\n')}${sent}`)
  return { socket, received: () => received }
}

export async function command(directory: string, ...argv: string[]): Promise<{ readonly code: number | undefined; readonly out: string }> {
  let out = ''
  const take = (line: string) => void (out += `${line}\n`)
  return { code: await sendCommand(socketPathOf(directory), argv, { print: take, printError: take }), out }
}

export async function createNeighbor(
  directory: string,
  id: string,
): Promise<{ readonly authorization: string; readonly publicKey: string }> {
  const run = async (...argv: string[]) => {
    const { code, out } = await command(directory, 'keys', ...argv)
    if (code !== 0) throw new Error(out)
    return out
  }
  await run('create-project', '--organization', 'default-org', '--name', id, '--id', id)
  const { publicKey, secretKey } = JSON.parse(await run('create', '--project', id, '--json')) as { publicKey: string; secretKey: string }
  return { authorization: basic(publicKey, secretKey), publicKey }
}

export async function metricOf({ ports }: Instance, name: string, labels: Readonly<Record<string, string>> = {}): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${ports.SVC_WORKER_PORT}/metrics`)).text()
  return metricSum(text, name, labels)
}
