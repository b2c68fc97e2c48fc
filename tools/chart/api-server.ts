// Runs a Kubernetes API server on etcd. No controller and no kubelet runs, so nothing creates or starts a pod.
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { spawnGuarded } from '../../libs/dev-servers/src/guarded-process.ts'
import { freePort, temporaryDirectory, waitFor } from '../../libs/dev-servers/src/index.ts'
import { ensureProgram } from '../programs/programs.ts'
import { createKubernetesClient, type KubernetesClient } from './kubernetes-client.ts'

export interface ApiServer extends AsyncDisposable {
  readonly client: KubernetesClient
  readonly kubeconfig: string
}

async function started(what: string, directory: string, readyLine: string, command: readonly string[]) {
  const logFile = join(directory, `${what}.log`)
  writeFileSync(logFile, '')
  const child = await spawnGuarded({ what, command, logFile, readyLine, orphanSignal: 'KILL' })
  await child.ready()
  return async () => {
    child.signal('SIGTERM')
    await child.ended()
  }
}

const kubeconfigOf = (server: string, certificate: string, token: string) => `apiVersion: v1
kind: Config
current-context: test
contexts: [{ name: test, context: { cluster: test, user: test } }]
clusters: [{ name: test, cluster: { server: "${server}", certificate-authority: "${certificate}" } }]
users: [{ name: test, user: { token: "${token}" } }]
`

export async function startApiServer(): Promise<ApiServer> {
  const [etcd, apiServer] = [await ensureProgram('etcd'), await ensureProgram('kube-apiserver')]
  const directory = await temporaryDirectory('svc-kubernetes-')
  const at = (name: string) => join(directory.path, name)
  const stops: (() => Promise<void>)[] = [() => directory.remove()]
  const stop = async () => {
    for (const each of stops.splice(0).toReversed()) await each()
  }
  try {
    const [client, peer, secure] = [await freePort(), await freePort(), await freePort()]
    const [clientUrl, peerUrl] = [`http://127.0.0.1:${client}`, `http://127.0.0.1:${peer}`]
    const members = [`--initial-advertise-peer-urls=${peerUrl}`, `--listen-peer-urls=${peerUrl}`, `--initial-cluster=default=${peerUrl}`]
    const clients = [`--listen-client-urls=${clientUrl}`, `--advertise-client-urls=${clientUrl}`]
    const etcdCommand = [etcd, `--data-dir=${at('etcd')}`, ...members, ...clients, '--unsafe-no-fsync']
    stops.push(await started('etcd', directory.path, 'ready to serve client requests', etcdCommand))

    const { publicKey, privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    })
    const token = randomBytes(16).toString('hex')
    writeFileSync(at('accounts.pub'), publicKey)
    writeFileSync(at('accounts.key'), privateKey, { mode: 0o600 })
    writeFileSync(at('tokens.csv'), `${token},admin,admin,system:masters\n`, { mode: 0o600 })
    const accounts = [
      '--service-account-issuer=https://kubernetes.test',
      `--service-account-key-file=${at('accounts.pub')}`,
      `--service-account-signing-key-file=${at('accounts.key')}`,
    ]
    const ports = ['--bind-address=127.0.0.1', `--secure-port=${secure}`, '--service-cluster-ip-range=10.0.0.0/24']
    const access = [`--token-auth-file=${at('tokens.csv')}`, '--authorization-mode=RBAC', `--cert-dir=${at('certificates')}`]
    const command = [apiServer, `--etcd-servers=${clientUrl}`, ...ports, ...access, ...accounts]
    stops.push(await started('kube-apiserver', directory.path, 'Serving securely', command))

    const [url, certificate] = [`https://127.0.0.1:${secure}`, at('certificates/apiserver.crt')]
    const kubernetes = createKubernetesClient({ url, certificate: readFileSync(certificate, 'utf8'), token })
    stops.push(() => kubernetes.close())
    await waitFor(async () => (await kubernetes.request('GET', '/readyz')).status === 200, {
      what: 'the API server to be ready',
      timeoutMs: 120_000,
      everyMs: 200,
    })
    writeFileSync(at('kubeconfig'), kubeconfigOf(url, certificate, token), { mode: 0o600 })
    return { client: kubernetes, kubeconfig: at('kubeconfig'), [Symbol.asyncDispose]: stop }
  } catch (error) {
    await stop()
    throw error
  }
}
