import poise.methods.adaptation.objective as O, sys
import poise.methods.adaptation.adapt as AD
from scratch import *
import poise.methods.adaptation.descent as D
src=open(O.__file__).read()
def run(ridge0,bend0,exact=100.,damp=1e-3,fact=2, steps=20):
    def price(space, objective, overrides, base):
        character, dofs = space.clip.character, space.dofs
        band = np.zeros((space.count, space.bandwidth + 1)); step = space.clip.dt * O.PER_SECOND
        diagonal = O._mean_diagonal(character, objective, base)[dofs]
        ridge = O.RIDGE * diagonal + ridge0
        bend = space.layer.smoothness * O.BEND**4 * (diagonal + bend0)
        gram = O._gram(character, objective, base)[:, dofs[:, None], dofs]
        gram[:, np.arange(space.size), np.arange(space.size)] += ridge
        chunks = O.Chunks(*space.reach(space.stencil), space.bandwidth)
        chunks.run(O._add_price, step * gram, step * bend, space.group, *space.stencil, space.slot, band)
        return band, diagonal
    import poise.methods.adaptation.problem as P
    P.price=price; AD.EXACT=exact; D.DAMPING=damp
    D.Effort.__init__.__defaults__
    r=A.adapt(clip,[*plants,pin],floor=True,joints=JOINTS,exact=True,steps=steps)
    print('ridge',ridge0,'bend',bend0,'exact',exact,'damp',damp); show(r)
    print([round(x,2) for x in r.descents[0].history]); print([round(x,3) for x in r.descents[1].history])
    return r
if __name__=='__main__':
    run(2e-3,1e-3)
    run(1e-2,2e-2)
    run(1e-2,1e-1)
    run(2e-2,1e-1)
    run(1e-2,1e-1,damp=1e-2)
