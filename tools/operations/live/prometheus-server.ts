// Runs a real Prometheus that scrapes local processes every two seconds.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { spawnGuarded } from '../../../libs/dev-servers/src/guarded-process.ts'
import { freePort, temporaryDirectory, waitFor } from '../../../libs/dev-servers/src/index.ts'
import { ensureProgram } from '../../programs/programs.ts'

interface Target {
  readonly service: string
  /** Address in the format host:port. */
  readonly address: string
}

interface Series {
  readonly metric: Readonly<Record<string, string>>
  /** Samples. Each sample is a pair: a time in seconds since 1970, and a value. */
  readonly values: readonly (readonly [at: number, value: number])[]
}

interface Range {
  /** Start time in seconds since 1970. */
  readonly from: number
  readonly to: number
  readonly stepSeconds: number
}

export interface PrometheusServer extends AsyncDisposable {
  scrape(targets: readonly Target[]): Promise<void>
  range(expr: string, range: Range): Promise<readonly Series[]>
  firing(): Promise<ReadonlySet<string>>
}

const often = { scrape_interval: '2s', evaluation_interval: '1s' }

export async function startPrometheus(rules: string): Promise<PrometheusServer> {
  const program = await ensureProgram('prometheus')
  const directory = await temporaryDirectory('svc-prometheus-')
  const at = (name: string) => join(directory.path, name)
  const url = `http://127.0.0.1:${await freePort()}`
  const configure = (targets: readonly Target[]) => {
    const static_configs = targets.map(({ service, address }) => ({ targets: [address], labels: { service } }))
    // JSON is valid YAML.
    writeFileSync(
      at('prometheus.yml'),
      JSON.stringify({ global: often, rule_files: [at('rules.yaml')], scrape_configs: [{ job_name: 'svc', static_configs }] }),
    )
  }
  mkdirSync(at('data'))
  writeFileSync(at('rules.yaml'), rules)
  writeFileSync(at('log'), '')
  configure([])
  const flags = [`--config.file=${at('prometheus.yml')}`, `--storage.tsdb.path=${at('data')}`, '--web.enable-lifecycle']
  const command = [program, ...flags, `--web.listen-address=${new URL(url).host}`]
  const child = await spawnGuarded({
    what: 'Prometheus',
    command,
    logFile: at('log'),
    readyLine: 'Server is ready to receive web requests',
    orphanSignal: 'KILL',
  })
  const stop = async () => {
    child.signal('SIGTERM')
    await child.ended()
    await directory.remove()
  }
  try {
    await child.ready()
  } catch (error) {
    await stop()
    throw error
  }

  async function ask<T>(path: string, parameters: Readonly<Record<string, string>> = {}): Promise<T> {
    const response = await fetch(`${url}/api/v1/${path}?${new URLSearchParams(parameters)}`)
    const { status, data, error } = (await response.json()) as { readonly status: string; readonly data: T; readonly error?: string }
    if (status !== 'success') throw new Error(`${JSON.stringify(parameters)}: ${error}`)
    return data
  }

  return {
    async scrape(targets) {
      configure(targets)
      const response = await fetch(`${url}/-/reload`, { method: 'POST' })
      if (!response.ok) throw new Error(`Prometheus refused its configuration: ${await response.text()}`)
      const areUp = async () => {
        const { activeTargets } = await ask<{ readonly activeTargets: readonly { readonly health: string }[] }>('targets')
        return activeTargets.length === targets.length && activeTargets.every(({ health }) => health === 'up')
      }
      await waitFor(areUp, { what: 'every process to be scraped', timeoutMs: 120_000, everyMs: 200 })
    },
    async range(expr, { from, to, stepSeconds }) {
      const parameters = { query: expr, start: String(from), end: String(to), step: String(stepSeconds) }
      const { result } = await ask<{ readonly result: readonly { metric: Series['metric']; values: readonly [number, string][] }[] }>(
        'query_range',
        parameters,
      )
      return result.map(({ metric, values }) => ({ metric, values: values.map(([at, value]) => [at, Number(value)] as const) }))
    },
    async firing() {
      const { alerts } = await ask<{ readonly alerts: readonly { labels: Readonly<Record<string, string>>; state: string }[] }>('alerts')
      return new Set(alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels['alertname']!))
    },
    [Symbol.asyncDispose]: stop,
  }
}
