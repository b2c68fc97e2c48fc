// Runs `svc` commands and SQL statements on a cluster.
import { expect } from 'vitest'
import { type Finished, runScript, type TestCluster } from '../cluster.ts'
import { type Mode, startVariables } from './processes.ts'

const svc = new URL('../../../svc/src/main.ts', import.meta.url).href

export const runSvc = ({ running }: TestCluster, ...argv: string[]): Promise<Finished> => runScript(svc, running.operatorEnv, ...argv)

/** Returns the report of `svc doctor`, which prints the report even if it finds problems. */
export async function diagnosisIn(mode: Mode, { running }: TestCluster): Promise<string> {
  return (await runScript(svc, { ...running.operatorEnv, ...startVariables(mode) }, 'doctor')).out
}

/** Throws if the command fails. */
export async function command(cluster: TestCluster, ...argv: string[]): Promise<string> {
  const done = await runSvc(cluster, ...argv)
  expect(done, `${done.out}${done.error}`).toMatchObject({ code: 0 })
  return done.out
}

export async function statements(cluster: TestCluster, sql: readonly string[]): Promise<void> {
  const { url, user, password, database } = cluster.running.stores.columnStore
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
  for (const one of sql) {
    const response = await fetch(`${url}/?database=${database}`, { method: 'POST', headers: { authorization }, body: one })
    expect([response.status, await response.text()]).toEqual([200, ''])
  }
}
