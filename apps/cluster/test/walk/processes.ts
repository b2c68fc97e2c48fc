// Restarts the processes of a cluster in another write mode.
import type { WriteMode } from '@svc-server/modes/write-mode'
import { expect } from 'vitest'
import type { RunningCluster } from '../../src/cluster.ts'
import type { ServiceProcess } from '../../src/service-process.ts'

export type Mode = WriteMode

/** The variables that contract §9.3 recommends. */
const variablesOf: Readonly<Record<Mode, Readonly<Record<string, string>>>> = {
  legacy: {
    SVC_MIGRATION_V4_WRITE_MODE: 'legacy',
    SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR: 'dual_write',
    SVC_MIGRATION_V4_ALLOW_PREVIEW_OPT_IN: 'false',
  },
  dual: {
    SVC_MIGRATION_V4_WRITE_MODE: 'dual',
    SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR: 'dual_write',
    SVC_MIGRATION_V4_ALLOW_PREVIEW_OPT_IN: 'false',
  },
  events_only: {
    SVC_MIGRATION_V4_WRITE_MODE: 'events_only',
    SVC_MIGRATION_V4_NATIVE_OTEL_BEHAVIOUR: 'direct',
    SVC_MIGRATION_V4_ALLOW_PREVIEW_OPT_IN: 'true',
  },
}

export const startVariables = (mode: Mode) => variablesOf[mode]

export interface Processes {
  /** Null while the process restarts. */
  modeOf(process: ServiceProcess): Mode | null
  /** Restarts one process after the other. Of each service, the first process is stopped normally, and the other processes are killed. */
  switchTo(mode: Mode): Promise<void>
  killSome(): Promise<void>
  stopAll(): Promise<void>
  startAll(mode: Mode): Promise<void>
}

/** `more` lists additional processes, which are restarted last. */
export function createProcesses(running: RunningCluster, first: Mode, more: readonly (readonly ServiceProcess[])[] = []): Processes {
  const all = [running.writers, running.propagators, running.apis, running.gateways, ...more]
  const modes = new Map<ServiceProcess, Mode | null>(all.flat().map(each => [each, first]))

  async function restart(each: ServiceProcess, mode: Mode, isKilled: boolean): Promise<void> {
    modes.set(each, null)
    if (isKilled) {
      each.signal('SIGKILL')
      await each.ended()
    } else expect([each.name, await each.stop()]).toEqual([each.name, 0])
    await each.start(variablesOf[mode])
    modes.set(each, mode)
  }

  return {
    modeOf: process => modes.get(process) ?? null,
    async switchTo(mode) {
      for (const kind of all) for (const [at, each] of kind.entries()) await restart(each, mode, at > 0)
    },
    async killSome() {
      for (const [first] of all) await restart(first!, modes.get(first!)!, true)
    },
    async stopAll() {
      for (const each of all.toReversed().flat()) {
        modes.set(each, null)
        expect([each.name, await each.stop()]).toEqual([each.name, 0])
      }
    },
    async startAll(mode) {
      for (const kind of all) await Promise.all(kind.map(each => each.start(variablesOf[mode])))
      for (const each of modes.keys()) modes.set(each, mode)
    },
  }
}
