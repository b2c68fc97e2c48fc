// Starts an engine with endless work, and prints the pid of the engine. The test then kills the process of this script.
import { startEngine } from '../src/index.ts'

const [, , dataDir, password] = process.argv
const engine = await startEngine({ dataDir: dataDir!, port: 0, password: password! })
void fetch(`${engine.url}/`, {
  method: 'POST',
  body: 'SELECT count() FROM numbers(1e14) WHERE cityHash64(number) = 1',
  headers: { authorization: `Basic ${Buffer.from(`svc:${password}`).toString('base64')}` },
})
process.stdout.write(JSON.stringify({ pid: engine.pid }))
