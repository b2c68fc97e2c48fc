// An encoding thread that knows the destination of the tests, too.
import { destinations } from '../../src/destinations/index.ts'
import { serveEncoders } from '../../src/encode/serve.ts'
import { tallies } from './tallies.ts'

await serveEncoders([...destinations.list, tallies])
