// Marks jobs as ended, as a controller of Kubernetes would, because no controller and no kubelet runs in these tests. The containers of a
// job do not run here, but in the suite `pods.nightly.test.ts`.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Manifest } from './helm.ts'
import type { KubernetesClient } from './kubernetes-client.ts'

export interface JobEnder extends AsyncDisposable {
  readonly let: (outcome: 'succeed' | 'fail') => void
  /** Names of the ended jobs, in the order of their end. */
  readonly ended: readonly string[]
}

type Job = Manifest & { readonly status?: { readonly conditions?: readonly unknown[] } }

const condition = (type: string, now: string, message = '') => ({
  type,
  status: 'True',
  lastProbeTime: now,
  lastTransitionTime: now,
  message,
})

function statusOf(outcome: 'succeed' | 'fail') {
  const now = new Date().toISOString().replace(/\.\d+Z$/, 'Z')
  const both = { startTime: now, ready: 0, terminating: 0, uncountedTerminatedPods: {} }
  return outcome === 'succeed'
    ? { ...both, succeeded: 1, completionTime: now, conditions: [condition('SuccessCriteriaMet', now), condition('Complete', now)] }
    : { ...both, failed: 1, conditions: ['FailureTarget', 'Failed'].map(type => condition(type, now, 'A container ended with 1.')) }
}

export function startJobEnder(client: KubernetesClient, namespace: string): JobEnder {
  const ended: string[] = []
  let outcome: 'succeed' | 'fail' = 'succeed'
  let isOver = false
  const path = `/apis/batch/v1/namespaces/${namespace}/jobs`

  async function endJobs(): Promise<void> {
    const { items = [] } = (await client.request('GET', path)).body as { readonly items?: readonly Job[] }
    for (const { metadata, status } of items) {
      if (status?.conditions !== undefined) continue
      const patched = { status: statusOf(outcome) }
      const answer = await client.request('PATCH', `${path}/${metadata.name}/status`, patched, 'application/merge-patch+json')
      if (answer.status !== 200) throw new Error(`${metadata.name} could not be stopped: ${JSON.stringify(answer.body['message'])}`)
      ended.push(metadata.name)
    }
  }

  const running = (async () => {
    while (!isOver) {
      await endJobs()
      await sleep(100)
    }
  })()
  // `Symbol.asyncDispose` reports an error of this loop later. Without this handler, the error would be an unhandled rejection.
  running.catch(() => {})
  return {
    let: next => void (outcome = next),
    ended,
    async [Symbol.asyncDispose]() {
      isOver = true
      await running
    },
  }
}
