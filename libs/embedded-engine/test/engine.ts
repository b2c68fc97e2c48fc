// All tests of a file share one engine.
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { temporaryDirectory } from '@svc-server/testkit'
import { type Engine, type EngineOptions, startEngine } from '../src/index.ts'

export const password = "p'ä:ss"

export interface TestEngine extends AsyncDisposable {
  readonly engine: Engine
  readonly directory: string
  readonly client: ClickHouseClient
  /** Sends a POST request. By default, the headers contain the engine's credentials. */
  post(
    body: string | Uint8Array<ArrayBuffer>,
    search?: Record<string, string>,
    headers?: Record<string, string>,
  ): Promise<{ status: number; text: string; headers: Headers }>
}

export const authorization = `Basic ${Buffer.from(`svc:${password}`).toString('base64')}`

export const startTestEngine = async (options: Partial<EngineOptions> = {}): Promise<TestEngine> => {
  const directory = await temporaryDirectory()
  const engine = await startEngine({ dataDir: directory.path, port: 0, password, restartDelayMs: [20, 100], ...options })
  const client = createClient({ url: engine.url, username: 'svc', password, database: 'svc', log: { level: ClickHouseLogLevel.OFF } })
  return {
    engine,
    directory: directory.path,
    client,
    async post(body, search = {}, headers = { authorization }) {
      const response = await fetch(`${engine.url}/?${new URLSearchParams(search)}`, { method: 'POST', body, headers })
      return { status: response.status, text: await response.text(), headers: response.headers }
    },
    async [Symbol.asyncDispose]() {
      await client.close()
      await engine.stop()
      await directory.remove()
    },
  }
}
