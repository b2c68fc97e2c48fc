// Starts an attack in a separate process, and ends the attack after the measurement.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { authorization, type Instance } from '../../test/instance.ts'

export async function underAttack<T>(
  { ports }: Instance,
  kind: string,
  measure: () => Promise<T>,
): Promise<{ readonly during: T; readonly seen: Readonly<Record<string, number>> }> {
  const attacker = fork(join(import.meta.dirname, 'attacker.ts'), [kind, JSON.stringify({ ports, authorization })], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  await once(attacker, 'message')
  const during = await measure()
  const left = once(attacker, 'message')
  attacker.send('stop')
  const [seen] = (await left) as [Readonly<Record<string, number>>]
  return { during, seen }
}
