// An encoding thread that also has the destination of the tests.
import { destinations } from '../../src/destinations/index.ts'
import { serveEncoders } from '../../src/encode/serve.ts'
import { tallies } from './tallies.ts'

await serveEncoders([...destinations.list, tallies])
