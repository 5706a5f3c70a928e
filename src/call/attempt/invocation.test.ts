import { describe, expect, it, vi } from 'vitest'
import { FakeTime } from '../../testing/core/fake-time.ts'
import { Invocation, type InvocationSettings, invoke } from './invocation.ts'

function bounds(time: FakeTime, more: Partial<InvocationSettings> = {}): InvocationSettings {
  return { time, limitMs: 1_000, signal: undefined, ...more }
}

const never = () => new Promise<never>(() => {})

describe('user code', () => {
  it.each([
    ['returns', () => 7],
    ['resolves', () => Promise.resolve(7)],
  ])('yields its value when it %s', async (_how, code) => {
    expect(await invoke(code, bounds(new FakeTime()))).toEqual({ ended: 'returned', value: 7 })
  })

  it.each([
    [
      'throws at once',
      () => {
        throw 'no'
      },
    ],
    ['rejects later', () => Promise.reject('no')],
  ])('yields what it threw as a value when it %s', async (_how, code) => {
    expect(await invoke(code, bounds(new FakeTime()))).toEqual({ ended: 'threw', error: 'no' })
  })

  it('does not begin once the signal is aborted', async () => {
    let isCalled = false
    const outcome = await invoke(
      () => {
        isCalled = true
      },
      bounds(new FakeTime(), { signal: AbortSignal.abort('enough') }),
    )
    expect(outcome).toEqual({ ended: 'aborted', reason: 'enough', isBegun: false, isStillRunning: false })
    expect(isCalled).toBe(false)
  })

  it('learns of its deadline by its signal, and may still be running', async () => {
    const time = new FakeTime()
    let reason: unknown
    const outcome = await time.until(
      invoke(signal => {
        signal.addEventListener('abort', () => {
          reason = signal.reason
        })
        return never()
      }, bounds(time)),
    )
    expect(outcome).toMatchObject({ ended: 'timedOut', isBegun: true, isStillRunning: true })
    expect(reason).toMatchObject({ name: 'TimeoutError', message: 'timed out after 1000 ms' })
  })

  it('leaves no listener on a signal that lives longer', async () => {
    const { signal } = new AbortController()
    let listeners = 0
    const add = signal.addEventListener.bind(signal)
    const remove = signal.removeEventListener.bind(signal)
    signal.addEventListener = (...all: Parameters<typeof add>) => {
      listeners++
      add(...all)
    }
    signal.removeEventListener = (...all: Parameters<typeof remove>) => {
      listeners--
      remove(...all)
    }
    await invoke(() => 7, bounds(new FakeTime(), { signal }))
    expect(listeners).toBe(0)
  })
})

describe('code that listens late', () => {
  const started = () => {
    const controller = new AbortController()
    const listens = vi.spyOn(controller.signal, 'addEventListener')
    const invocation = new Invocation(
      bounds(new FakeTime(), { signal: controller.signal, listensLate: true }),
    )
    return { controller, listens, invocation }
  }

  it('does not listen to the outer signal if it ends before it is told to', async () => {
    const { invocation, listens } = started()
    expect(await invocation.run(() => 7, undefined)).toEqual({ ended: 'returned', value: 7 })
    invocation.listen()
    expect(listens).not.toHaveBeenCalled()
  })

  it('learns of an abort that came before it was told to listen', async () => {
    const { invocation, controller } = started()
    const outcome = invocation.run(never, undefined)
    controller.abort('enough')
    invocation.listen()
    expect(await outcome).toMatchObject({ ended: 'aborted', reason: 'enough', isBegun: true })
  })

  it('listens as soon as it uses its own signal', async () => {
    const { invocation, controller } = started()
    const outcome = invocation.run(() => {
      invocation.signal.addEventListener('abort', () => {})
      return never()
    }, undefined)
    controller.abort('enough')
    expect(await outcome).toMatchObject({ ended: 'aborted', reason: 'enough' })
  })
})

describe('the grace of code that is stopped', () => {
  const endingAfter = (time: FakeTime, ms: number, end: () => unknown) => (signal: AbortSignal) =>
    new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => {
        time.after(ms, () => {
          try {
            resolve(end())
          } catch (error) {
            reject(error)
          }
        })
      })
    })

  it('accepts a result that came just after the deadline', async () => {
    const time = new FakeTime()
    const outcome = await time.until(
      invoke(
        endingAfter(time, 100, () => 7),
        bounds(time, { graceMs: 200 }),
      ),
    )
    expect(outcome).toEqual({ ended: 'returned', value: 7 })
  })

  it('rejects a value that means giving up', async () => {
    const time = new FakeTime()
    const isGivingUp = (value: unknown) => value === undefined
    const outcome = await time.until(
      invoke(
        endingAfter(time, 100, () => undefined),
        bounds(time, { graceMs: 200, isGivingUp }),
      ),
    )
    expect(outcome).toMatchObject({ ended: 'timedOut', isStillRunning: false })
  })

  it('rejects any value after an abort, and keeps what was thrown', async () => {
    const time = new FakeTime()
    for (const [end, told] of [
      [() => 7, { ended: 'aborted', isStillRunning: false }],
      [
        () => {
          throw 'half done'
        },
        { ended: 'aborted', error: 'half done', isStillRunning: false },
      ],
    ] as const) {
      const controller = new AbortController()
      time.after(10, () => controller.abort('enough'))
      const { signal } = controller
      const outcome = await time.until(
        invoke(endingAfter(time, 100, end), bounds(time, { signal, graceMs: 200 })),
      )
      expect(outcome).toMatchObject({ reason: 'enough', ...told })
    }
  })

  it('may depend on why it was stopped', async () => {
    const time = new FakeTime()
    const controller = new AbortController()
    const { signal } = controller
    const graceMs = (reason: unknown) => (reason === 'short' ? 10 : 1_000)
    const outcome = invoke(never, bounds(time, { signal, graceMs }))
    controller.abort('short')
    const startedMs = time.monotonic()
    await time.until(outcome)
    expect(time.monotonic() - startedMs).toBe(10)
  })
})

it('can be stopped by its caller, but not once it has settled', async () => {
  const invocation = new Invocation<unknown>(bounds(new FakeTime()))
  const outcome = invocation.run(never, undefined)
  expect(invocation.stop('overspent', 'too much')).toBe(true)
  expect(await outcome).toMatchObject({ ended: 'overspent', reason: 'too much' })
  expect(invocation.stop('overspent', 'again')).toBe(false)
})
