// The plain-socket server that the produce bench runs as a separate process. In a loop, the server reads a fixed number of bytes and
// responds with one byte.
import { createServer } from 'node:net'

const recordBytes = Number(process.argv[2])
const server = createServer(socket => {
  let open = recordBytes
  socket.setNoDelay().on('data', ({ length }) => {
    open -= length
    if (open > 0) return
    open += recordBytes
    socket.write('.')
  })
})
server.listen(0, '127.0.0.1', () => process.send?.(server.address()))
process.on('disconnect', () => process.exit())
