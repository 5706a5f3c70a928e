import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { WorkerDefinition } from '../../../src/adapter/job/definition.ts'
import { defineWorker, type JobWorker } from '../../../src/adapter/job/worker.ts'
import { EmbeddedEngine } from '../../../src/engine/embedded/embedded-engine.ts'
import type { OperationState } from '../../../src/ledger/operation.ts'
import { openLedger, type SqliteLedger } from '../../../src/ledger/sqlite/sqlite-ledger.ts'
import type { ConformingEngine, EngineBench, ShownJob } from './bench.ts'

const LIMITED = Object.assign(new Error('rate limited'), { status: 429, headers: { 'retry-after': '3600' } })

/** What a connected worker promises for the jobs of any engine, with a real ledger. */
export function describeCitizens(engine: ConformingEngine): void {
  describe(`citizens in ${engine.name}`, () => {
    const name = engine.name.split(' ')[0] as string
    let folder: string
    let ledger: SqliteLedger
    let bench: EngineBench
    let runs: unknown[]
    /** What the tries throw, in order; later tries succeed. */
    let script: unknown[]
    const workers: JobWorker[] = []
    const problems: string[] = []

    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), 'mulligan-citizens-'))
      ledger = await openLedger({ file: join(folder, 'ledger.db') })
      bench = await engine.open()
      runs = []
      script = []
    })
    afterEach(async () => {
      await bench.close()
      for (const worker of workers.splice(0)) await (await worker.connection)?.close()
      expect(await ledger.check()).toEqual([])
      await ledger.close()
      rmSync(folder, { recursive: true })
      expect(problems.splice(0)).toEqual([])
    })

    const connected = async (definition: Partial<WorkerDefinition> = {}) => {
      const worker = defineWorker({
        name: 'review',
        retry: 'replay',
        provider: 'anthropic',
        onProblem: ({ problem }) => problems.push(problem),
        run: data => {
          runs.push(data)
          const error = script.shift()
          if (error !== undefined) throw error
          return { answer: 42 }
        },
        ...definition,
      })
      workers.push(worker)
      await worker.connect({ ledger: join(folder, 'ledger.db') })
      return worker
    }
    const within = { timeout: 15_000, interval: 15 }
    const inState = (id: string, state: ShownJob['state']) =>
      vi.waitFor(async () => expect((await bench.show(id)).state).toBe(state), within)
    const listed = async (state: OperationState) => {
      await vi.waitFor(
        async () => expect((await ledger.list({ engine: name, state })).items).toHaveLength(1),
        within,
      )
      const [operation] = (await ledger.list({ engine: name, state })).items
      if (!operation) throw new Error('it is gone')
      return operation
    }
    const commanded = async <T>(command: (by: EmbeddedEngine) => Promise<T>) => {
      const by = new EmbeddedEngine({ ledger })
      const done = await command(by)
      await by.close()
      return done
    }

    it('a job that never fails is not written to the ledger', async () => {
      await bench.start(await connected())
      await inState(await bench.add({ prompt: 'hello' }), 'done')
      expect((await ledger.list({ engine: name })).items).toEqual([])
    })

    it('a failed job is an operation with its attempts, held by its engine, until it ends there', async () => {
      script = [Object.assign(new Error('Overloaded'), { status: 529 })]
      await bench.start(await connected({ backoff: 'fixed10s' }))
      const id = await bench.add({ prompt: 'hello' })
      await inState(id, 'delayed')
      const waiting = await listed('scheduled')
      expect(waiting).toMatchObject({
        heldBy: `engine:${name}`,
        params: { prompt: 'hello' },
        providers: ['anthropic'],
        failure: { kind: 'overloaded' },
        context: { engine: name, worker: 'review' },
      })
      await bench.makeDue(id)
      await inState(id, 'done')
      expect(await listed('succeeded')).toMatchObject({ id: waiting.id, result: { answer: 42 }, attempts: 2 })
    })

    it('an unknown failure parks the job until a label moves it; the label is in force at once', async () => {
      script = [new Error('flurbl the wug'), new Error('flurbl the wug')]
      await bench.start(await connected())
      const id = await bench.add({ prompt: 'hello' })
      await inState(id, 'delayed')
      const { id: operation, failure } = await listed('parked')
      await vi.waitFor(async () => expect((await ledger.unknowns()).items).toHaveLength(1), within)
      const fingerprint = failure?.fingerprint as string
      await ledger.transaction(writes => writes.addLabel({ fingerprint, class: 'transient', who: 'ann' }))
      await listed('scheduled')
      await commanded(by => by.edit(operation, { dueAt: Date.now() }))
      // The second try fails in the same way, which now is known.
      await vi.waitFor(async () => expect(await ledger.get(operation)).toMatchObject({ attempts: 2 }), within)
      expect(await listed('scheduled')).toMatchObject({
        heldBy: `engine:${name}`,
        failure: { class: 'transient' },
      })
      await inState(id, 'delayed')
      await bench.makeDue(id)
      await inState(id, 'done')
      expect(await listed('succeeded')).toMatchObject({ id: operation, attempts: 3 })
      expect(runs).toHaveLength(3)
    })

    it.each(['edited here', 'removed there'])(
      'a job that was %s while it waited is known as before',
      async why => {
        script = [new Error('flurbl the wug'), new Error('flurbl the wug'), new Error('flurbl the wug')]
        await bench.start(await connected())
        const id = await bench.add({ prompt: 'hello' })
        for (const tries of [1, 2, 3]) {
          await vi.waitFor(
            async () => expect(await listed('parked')).toMatchObject({ attempts: tries }),
            within,
          )
          const { id: operation } = await listed('parked')
          await inState(id, 'delayed')
          if (why === 'removed there') await bench.remove(id)
          else await commanded(by => by.edit(operation, { params: { prompt: `hello ${tries}` } }))
          await commanded(by => by.unpark([operation], { by: 'person', reason: 'asked' }))
        }
        const prompt = why === 'removed there' ? 'hello' : 'hello 3'
        expect(await listed('succeeded')).toMatchObject({
          attempts: 4,
          params: { prompt },
          result: { answer: 42 },
        })
        expect(runs.at(-1)).toEqual({ prompt })
      },
    )

    it('a limit that one worker meets holds the jobs of another before they are tried', async () => {
      const first = await connected()
      const second = await connected()
      const job = { engine: name, queue: 'q', jobId: '1', job: {}, data: {} }
      script = [LIMITED]
      await first.perform(job)
      await vi.waitFor(async () => {
        const { outcome } = await second.perform({ ...job, jobId: '2' })
        expect(outcome).toMatchObject({ outcome: 'snooze' })
      }, within)
      const tries = runs.length
      const { outcome } = await second.perform({ ...job, jobId: '3' })
      expect(outcome).toMatchObject({ outcome: 'snooze', reason: expect.stringContaining('not tried') })
      expect(runs).toHaveLength(tries)
    })

    it('a person retries and cancels jobs through the ledger', async () => {
      script = [Object.assign(new Error('prompt is missing'), { status: 400 }), new Error('flurbl the wug')]
      await bench.start(await connected())
      const id = await bench.add({ prompt: 'hello' })
      await inState(id, engine.cancelledAs)
      const { id: operation } = await listed('dead')
      await commanded(by => by.revive([operation]))
      await listed('parked')
      await commanded(by => by.cancel([operation]))
      expect(await listed('dead')).toMatchObject({ id: operation, deadAs: 'cancelled' })
      await inState(id, engine.cancelledAs)
      expect(runs).toHaveLength(2)
    })
  })
}
