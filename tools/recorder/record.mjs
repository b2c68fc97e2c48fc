// Records the fixtures. Runs the cases of each client and stores the request bodies without changes.
import { spawn } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { clients } from './clients.mjs'
import { startCollector } from './collector.mjs'
import { install } from './install.mjs'
import { startModelApi } from './model-api.mjs'

const fixtures = join(import.meta.dirname, '../../libs/testkit/fixtures/otlp')
const { positionals } = parseArgs({ allowPositionals: true })
const unknown = positionals.filter(name => clients[name] === undefined)
if (unknown.length > 0) throw new Error(`no such client: ${unknown.join(', ')}; there are ${Object.keys(clients).join(', ')}`)

// Payloads must not contain an environment variable of this machine.
const environment = (folder, more) => ({
  PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
  HOME: join(folder, 'home'),
  LANG: 'C.UTF-8',
  PYTHONDONTWRITEBYTECODE: '1',
  OTEL_NODE_RESOURCE_DETECTORS: 'none',
  OTEL_EXPERIMENTAL_RESOURCE_DETECTORS: 'otel',
  ...more,
})

function runCase(name, client, folder, testCase, urls) {
  const isPython = client.requirements !== undefined
  const script = join(import.meta.dirname, isPython ? 'python' : '.', isPython ? client.script : 'run-node.mjs')
  const env = environment(folder, {
    RECORD_CLIENT: name,
    RECORD_CASE: testCase,
    RECORD_FOLDER: folder,
    RECORD_SCRIPT: client.script,
    RECORD_COLLECTOR: urls.collector,
    RECORD_MODEL: urls.model,
    OTEL_EXPORTER_OTLP_ENDPOINT: urls.collector,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${urls.collector}/v1/traces`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf',
    ...client.env,
  })
  const command = isPython ? join(folder, 'venv/bin/python') : process.execPath
  return new Promise((resolve, reject) => {
    // `argv0` sets the name of the program. If there is no service name, the SDK uses this name.
    const child = spawn(command, [script], {
      cwd: isPython ? dirname(script) : folder,
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
      argv0: isPython ? command : 'node',
      timeout: 60_000,
    })
    let errors = ''
    child.stderr.setEncoding('utf8').on('data', text => (errors += text))
    child.once('error', reject)
    child.once('exit', code =>
      code === 0 ? resolve() : reject(new Error(`${name}/${testCase} ended with ${code}:\n${errors.slice(-2000)}`)),
    )
  })
}

// Local paths and names that no payload may contain. A host name of up to three letters is left out, because a payload can contain it as a
// word.
const traces = [dirname(dirname(process.execPath)), join(import.meta.dirname, '../..'), tmpdir(), hostname()].filter(
  text => text.length > 3,
)

function assertAnonymous(name, { body, headers }) {
  const isGzip = body[0] === 0x1f && body[1] === 0x8b
  const text = JSON.stringify(headers) + (isGzip ? gunzipSync(body) : body).toString('latin1')
  const found = traces.filter(trace => text.includes(trace))
  if (found.length > 0) throw new Error(`${name} carries ${found.join(', ')} of this machine`)
}

async function keep(client, testCase, requests) {
  for (const [i, request] of requests.entries()) {
    const name = i === 0 ? testCase : `${testCase}-${i + 1}`
    assertAnonymous(`${client}/${name}`, request)
    const extension = request.contentType === 'application/json' ? 'json' : 'pb'
    await writeFile(join(fixtures, client, `${name}.${extension}`), request.body)
    await writeFile(join(fixtures, client, `${name}.headers.json`), `${JSON.stringify(request.headers, null, 2)}\n`)
  }
}

const model = await startModelApi()
const collector = await startCollector()
const failed = []
try {
  for (const [name, client] of Object.entries(clients).filter(([name]) => positionals.length === 0 || positionals.includes(name))) {
    const folder = await install(client)
    await mkdir(join(folder, 'home'), { recursive: true })
    await rm(join(fixtures, name), { recursive: true, force: true })
    await mkdir(join(fixtures, name), { recursive: true })
    for (const testCase of client.cases) {
      try {
        await runCase(name, client, folder, testCase, { collector: collector.url, model: model.url })
        const requests = collector.take()
        if (requests.length === 0) throw new Error(`${name}/${testCase} sent nothing`)
        await keep(name, testCase, requests)
        const bytes = requests.reduce((sum, request) => sum + request.body.length, 0)
        process.stdout.write(`${name}/${testCase}: ${requests.length} requests, ${bytes} bytes\n`)
      } catch (error) {
        collector.take()
        failed.push(`${name}/${testCase}`)
        process.stderr.write(`${error.message}\n`)
      }
    }
  }
} finally {
  await collector.close()
  await model.close()
}
if (failed.length > 0) {
  process.stderr.write(`failed: ${failed.join(', ')}\n`)
  process.exitCode = 1
}
