import { destinations } from '../../src/destinations/index.ts'
import { serveEncoders } from '../../src/encode/serve.ts'
import { tallies } from './tallies.ts'

await serveEncoders([...destinations.list, tallies])
