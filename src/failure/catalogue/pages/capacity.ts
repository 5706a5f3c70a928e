import { page } from '../page.ts'

/** The service has too much to do, or is not ready yet. It passes on its own. */
export default page(
  'capacity',
  `
overloaded: overloaded specific none · the service itself is overloaded; this beats a 429, which would blame our own use
  says (max|maximum) (number of|) (client|database|db|open|) connections (has been|was|is|) (reached|exceeded),
    (insufficient|not enough) (cpu|cpus|gpu|gpus|nodes|machines|hosts|instances|resources) (available|free|to),
    (could not|cannot|unable to|failed to) (reserve|schedule|place|provision) (resource|resources|capacity|a machine|the machine|an instance),
    nodes are available … insufficient, (exceed|exceeds|exceeded) … (tasks|task|request|job|pending|) queue,
    queue (size|length|capacity|limit|depth) (limit|) (is|has been|was|) (exceeded|reached|full),
    degraded (function|service|deployment|endpoint|instance) (cannot|can not|could not|is|was),
    (function|service|deployment|endpoint) (is|in) (a|) degraded, worker … (request limit|total request limit|queue limit) reached,
    (no|all) (workers|gpus|machines|replicas|instances|nodes) (are|is|) (available|busy|in use|free|occupied),
    no (available|free|idle) (worker|gpu|machine|replica|instance|node|nodes|gpus),
    (out of|insufficient|no available) (gpus|gpu capacity|compute), sobrecargad, sobrecargado, overloaded,
    experiencing (high|heavy|unusually high) (demand|load|traffic),
    (no|not enough|insufficient|out of|lack of) (capacity|compute capacity|available capacity), model capacity (exhausted|exceeded),
    (service tier capacity|maximum pending requests) exceeded, (server|service|system|model|engine) (is|) (too|currently|) busy,
    no available (accounts|account|workers|instances|slots|slot|replicas|nodes|servers|channels|channel),
    no (slot available|healthy upstream|more data centers), too much traffic, rejected execution, queue position,
    position # in (the|) queue, (gpus|machines|workers|slots|replicas|instances) (are|) (all|currently|) (in use|busy|taken|occupied),
    due to system capacity, upstream … (temporarily unavailable|saturated|unavailable),
    too many (simultaneous|concurrent) (queries|connections|transactions|sessions), circuit (breaking|breaker) (exception|open|tripped),
    circuit breaker … is open, max lag, maxlag, seconds lagged, request weight … later, thread pool … (full|exhausted),
    (queue|request queue) (is|) full, all providers … at capacity, (überlastet|surchargé|перегружен),
    (过载|拥堵|拥挤|混み合|混雑|과부하|访问量过大|服务器繁忙|系统繁忙|服务繁忙|负载|過負荷)
  unless overloaded (method|function|constructor|operator|signature|version), down or overloaded, would overload, likely overload
  eg {"status":429,"headers":{},"body":{"error":{"message":"The engine is currently overloaded, please try again later"}}}
high_demand: overloaded general none · mentions demand or capacity; a rate limit named with it is the more specific cause
  says high (demand|load|traffic), capacity, too many connections
  eg We are seeing high demand right now
unavailable: overloaded status · unavailable for now, no reason given; the request may have got through
  says leader election, (has|have|there is|is) no primary, no (leader|quorum),
    (failover|election|rebalance|rebalancing) (is|) in progress, service (is|) (currently|temporarily|) unavailable,
    (institution|issuer|bank|processor|carrier|acquirer|courier) (is|) (down|not available|unavailable|not responding|not currently responding|currently unavailable),
    (temporarily|currently|server) unavailable, temporarily unable to, not currently available, unable to process your request
  eg The service is temporarily unavailable
moved: overloaded general none · the cluster member asked is no longer the leader; another one is, or soon will be
  says (leader|primary|coordinator|controller|master|instance state) (has|) (changed|moved|stepped down|been lost|lost),
    (leader|primary|coordinator|controller|master) (is|was|) (currently|) (not available|unavailable),
    not (the|a|) (correct|current|) (leader|coordinator|controller), no longer (the|) (leader|primary|coordinator),
    read only (replica|slave)
  unless primary key, primary account, primary email, primary contact, domain controller
  eg etcdserver: leader changed
maintenance: overloaded typed none · closed for maintenance: accepts no requests until it is over
  says (under|down for|offline for|undergoing|closed for|in) (scheduled|planned|routine|system|emergency|) maintenance,
    (scheduled|planned|routine|emergency) maintenance, maintenance (mode|window|in progress)
  eg Sorry, we are down for scheduled maintenance
loading: loading specific none · a model or a server is still starting; the same call works in a moment
  says in the following state pending, (is|are) (still|currently) (pending|being created|provisioning|creating),
    (model|models) … (is|are) (currently|still|) (loading|being loaded|warming up|starting),
    loading (model|the dataset in memory), model (is|was|) unloaded, model … not ready, not ready (to|for) (serve|serving),
    is (still|currently|) (starting up|starting|restarting|booting|rebooting|initializing|warming up|recovering|shutting down), (warming|is scaling) up,
    scaling (up|) from zero, (node|instance|replica|cluster|shard|pod|deployment|endpoint) (is|) not ready, cold start,
    not ready or lagging, agreement is being created, subscription is being processed
  unless (error|failed|failure) loading, (failed to|could not) load, loading was stopped
  eg {"status":503,"headers":{},"body":{"error":"Model bigcode/x is currently loading","estimated_time":20.5}}
`,
)
